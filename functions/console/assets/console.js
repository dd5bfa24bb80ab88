// What the console does better with a script: times in the reader's zone, and copying. It works without.
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = time.textContent
  time.textContent = local.format(new Date(time.dateTime))
}

const spoken = document.createElement('p')
spoken.className = 'visually-hidden'
spoken.setAttribute('role', 'status')
document.body.append(spoken)

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!navigator.clipboard) continue
  const words = button.textContent
  let reset
  button.hidden = false
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(button.dataset.copy).then(
      () => true,
      () => false,
    )
    button.textContent = copied ? 'Copied' : 'Not copied'
    spoken.textContent = button.textContent
    clearTimeout(reset)
    reset = setTimeout(() => {
      button.textContent = words
      spoken.textContent = ''
    }, 2_000)
  })
}
