// What the console does better with a script: times in the reader's zone, read and typed, forms sent once, and copying.
// All but copying works without.
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = time.textContent
  time.textContent = local.format(new Date(time.dateTime))
}

// A time that is typed is one of the reader's zone as well, and is sent as an instant.
for (const field of document.querySelectorAll('input[data-utc]')) {
  const hint = document.getElementById(`${field.id}-hint`)
  if (hint) hint.textContent = 'In your time zone.'
  const at = new Date(`${field.value}Z`)
  if (field.value) {
    const wall = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
    field.value = wall.toISOString().slice(0, field.value.length)
  }
  field.form.addEventListener('formdata', ({ formData }) => {
    if (field.value) formData.set(field.name, new Date(field.value).toISOString())
  })
}

// A second click would have the answer to the first thrown away.
for (const form of document.querySelectorAll('form[method=post]')) {
  let sent = false
  form.addEventListener('submit', (event) => {
    if (sent) event.preventDefault()
    sent = true
  })
  addEventListener('pageshow', () => {
    sent = false
  })
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
    const text = button.dataset.copy || button.closest('.snippet').querySelector('code').textContent
    const copied = await navigator.clipboard.writeText(text).then(
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
