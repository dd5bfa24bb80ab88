// Shows and reads times in the reader's time zone, sends each form once, and copies text. Without it all but copying
// works.
const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = time.textContent
  time.textContent = local.format(new Date(time.dateTime))
}

// Times are typed in the reader's time zone too, and sent as instants.
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

// A second click would discard the response to the first.
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
