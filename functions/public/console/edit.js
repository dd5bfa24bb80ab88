// The editor of posts and guides. Without this script, a button shows the preview.

// Each preview loads in a new frame, which then replaces the old one. That avoids flicker and entries in the browser's history.
const PREVIEW_AFTER_MS = 400

// Counting a longer text would make typing slow.
const MAX_COUNTED = 300_000
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

for (const form of document.querySelectorAll('form.edit')) {
  const { contentHtml, title, language } = form.elements
  const button = form.querySelector('button[formtarget]')
  let shown = form.querySelector('iframe')
  let loading
  let later
  button.hidden = true
  const show = () => {
    loading?.remove()
    const frame = shown.cloneNode()
    loading = frame
    frame.name = `preview-${Date.now()}`
    frame.removeAttribute('src')
    frame.classList.add('loading')
    shown.after(frame)
    const sent = document.createElement('form')
    Object.assign(sent, {
      method: 'post',
      action: button.formAction,
      enctype: 'multipart/form-data',
      target: frame.name,
      hidden: true,
    })
    for (const field of [contentHtml, title, language]) {
      if (!field) continue
      const copy = Object.assign(document.createElement('input'), {
        type: 'hidden',
        name: field.name,
        value: field.value,
      })
      sent.append(copy)
    }
    document.body.append(sent)
    sent.submit()
    sent.remove()
    frame.addEventListener('load', () => {
      if (loading !== frame) return
      loading = undefined
      shown.remove()
      frame.classList.remove('loading')
      shown = frame
    })
  }
  contentHtml.addEventListener('input', () => {
    clearTimeout(later)
    later = setTimeout(() => {
      show()
      count()
    }, PREVIEW_AFTER_MS)
  })
  if (form.dataset.guard === 'typed') show()
  // Does not send what the service would refuse, so that it stays in the form.
  const measure = () => {
    const most = Number(form.dataset.maxBytes)
    const isTooLong = new Blob([contentHtml.value]).size > most
    contentHtml.setCustomValidity(isTooLong ? `At most ${most / 1024 / 1024} MiB.` : '')
  }
  contentHtml.addEventListener('input', measure)
  addEventListener('pageshow', measure)
  const words = document.createElement('p')
  words.className = 'hint'
  button.before(words)
  const count = () => {
    const text = contentHtml.value.slice(0, MAX_COUNTED).replaceAll(/<[^>]*>/g, ' ')
    const { length } = [...segmenter.segment(text)].filter(({ isWordLike }) => isWordLike)
    const more = contentHtml.value.length > MAX_COUNTED ? 'More than ' : ''
    words.textContent = `${more}${length.toLocaleString('en')} ${length === 1 ? 'word' : 'words'}`
  }
  addEventListener('pageshow', count)
  const save = form.querySelector('.edit-bar button[type=submit]')
  save.setAttribute('aria-keyshortcuts', 'Control+S Meta+S')
  save.title = 'Ctrl+S or ⌘S'
  addEventListener('keydown', (event) => {
    const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)
    if (!isSave || event.shiftKey || event.altKey) return
    event.preventDefault()
    form.requestSubmit(save)
  })
}
