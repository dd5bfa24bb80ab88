// The editor of posts and guides. Without this script, a button shows the preview.

// Each preview loads in a new frame, which then replaces the old one. That avoids flicker and entries in the browser's history.
const PREVIEW_AFTER_MS = 400

// Counting a longer text would make typing slow.
const MAX_COUNTED = 300_000
const TAGS = /<[^<>]*>/g
/** Also images, the addresses of links, the language of code and the numbers of lists. */
const MARKUP_OF_MARKDOWN =
  /<(?!https?:)[^<>]*>|!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)|(?<=\])\([^)\n]{0,2000}\)|^ *(?:```|~~~).*|^ *\d+[.)] /gm
const segmenter = new Intl.Segmenter('en', { granularity: 'word' })

for (const form of document.querySelectorAll('form.edit')) {
  const { contentHtml, contentMarkdown, title, language } = form.elements
  const content = contentMarkdown ?? contentHtml
  const button = form.querySelector('button[formtarget]')
  let shown = form.querySelector('iframe')
  let loading
  let later
  const show = () => {
    form.querySelector('div.problems')?.remove()
    loading?.remove()
    const frame = shown.cloneNode()
    loading = frame
    frame.name = `preview-${Date.now()}`
    frame.removeAttribute('src')
    frame.classList.add('loading')
    shown.after(frame)
    const sent = [contentHtml, contentMarkdown, title, language].filter(Boolean)
    postForm(
      button.formAction,
      sent.map(({ name, value }) => [name, value]),
      frame.name,
    )
    frame.addEventListener('load', () => {
      if (loading !== frame) return
      loading = undefined
      shown.remove()
      frame.classList.remove('loading')
      shown = frame
    })
  }
  content.addEventListener('input', () => {
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
    const isTooLong = new Blob([content.value]).size > most
    content.setCustomValidity(isTooLong ? `At most ${most / 1024 / 1024} MiB.` : '')
  }
  content.addEventListener('input', measure)
  addEventListener('pageshow', measure)
  title.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    content.focus()
  })
  // Some browsers do not unfold what a link leads to.
  form.querySelector('.folds :target')?.closest('details').setAttribute('open', '')
  for (const folded of form.querySelectorAll('.folds > details'))
    folded.addEventListener('toggle', () => {
      const said = folded.querySelector('summary > .muted')
      const filled = [...folded.querySelectorAll('input, select, textarea')].filter(({ value }) => value)
      const values = filled.map((field) => {
        const gap = field.spellcheck && field.type === 'textarea' ? ' ' : ', '
        return field.selectedOptions?.[0].text ?? field.value.replace(/\n+/g, gap)
      })
      said.textContent = values.join(' · ') || said.dataset.labels
    })
  const counted = make('p', { className: 'hint' })
  button.before(counted)
  const count = () => {
    const markup = contentMarkdown ? MARKUP_OF_MARKDOWN : TAGS
    const text = content.value.slice(0, MAX_COUNTED).replaceAll(markup, ' ').replaceAll('\\', '')
    const words = segmenter.segment(toPage(text).documentElement.textContent)
    const { length } = [...words].filter(({ isWordLike }) => isWordLike)
    const more = content.value.length > MAX_COUNTED ? 'More than ' : ''
    counted.textContent = `${more}${length.toLocaleString('en')} ${length === 1 ? 'word' : 'words'}`
  }
  count()
  addEventListener('pageshow', count)
  const save = form.querySelector('.edit-bar button[type=submit]')
  save.setAttribute('aria-keyshortcuts', 'Control+S Meta+S')
  save.title = 'Ctrl+S or ⌘S saves and keeps editing'
  addEventListener('keydown', (event) => {
    if (!isShortcut(event, 's')) return
    event.preventDefault()
    if (form.reportValidity()) saveAndStay(form, save)
  })
  // Sent before the current save has ended, it would conflict with that save.
  const wait = (event) => {
    if (!form.querySelector('[data-saved]').ariaBusy || event.submitter?.formTarget) return
    event.preventDefault()
    event.stopImmediatePropagation()
    next = () => form.requestSubmit(event.submitter)
  }
  form.addEventListener('submit', wait, true)
}

const SAVE_TIMEOUT_MS = 30_000

/** Runs when the current save ends. */
let next

/** Saves without leaving the page. A refusal or a conflict is then posted again, as the button does, and shown. */
async function saveAndStay(form, save) {
  const said = form.querySelector('[data-saved]')
  if (said.ariaBusy) {
    next ??= () => saveAndStay(form, save)
    return
  }
  said.ariaBusy = 'true'
  said.textContent = 'Saving…'
  const sent = new FormData(form, save)
  sent.set('stay', 'yes')
  const signal = AbortSignal.timeout(SAVE_TIMEOUT_MS)
  const [response, text] = await fetch(form.action, { method: 'POST', body: sent, signal })
    .then(async (response) => [response, await response.text()])
    .catch(() => [])
  const page = response?.ok && response.redirected && toPage(text)
  const saved = page ? page.querySelector('form.edit') : null
  const again = next
  next = undefined
  said.ariaBusy = null
  said.textContent = response ? '' : 'The service did not respond. Your text may not be saved.'
  if (!response) return
  if (!saved) return form.requestSubmit(save)
  keepUp(form, saved.elements, sent)
  follow(page, response.url)
  // The errors of an earlier refusal are gone.
  for (const error of form.querySelectorAll('.error')) error.remove()
  form.dispatchEvent(new Event('saved'))
  // The question is answered.
  if (save.name && !again) return location.reload()
  said.textContent = `Saved ${clock.format()}`
  again?.()
}

/** Parts of the page that change with its title and slug. */
const NAMED = ['title', 'h1', '.crumbs', '#slug-error, #slug-hint']
const ADDRESSED = 'form.edit, form.edit [formaction], .edit-bar a'

function follow(page, url) {
  for (const part of NAMED) document.querySelector(part).replaceWith(page.querySelector(part))
  const addressed = page.querySelectorAll(ADDRESSED)
  document.querySelectorAll(ADDRESSED).forEach((element, n) => {
    for (const name of ['action', 'formaction', 'href'])
      if (element.hasAttribute(name)) element.setAttribute(name, addressed[n].getAttribute(name))
  })
  history.replaceState(history.state, '', url)
}

/** Takes the stored values of fields that this form did not change, and makes all of them the ones to compare with. */
function keepUp(form, stored, sent) {
  const isSameSource = stored.contentHtml.value === form.elements.contentHtml.value
  for (const field of form.elements) {
    const now = field.name && stored[field.name]
    if (!now) continue
    field.ariaInvalid = null
    // Stored Markdown is written anew, so it may differ from the same text as typed.
    const isKept = isChanged(field) || (field.name === 'contentMarkdown' && isSameSource)
    if (!isKept && field.value !== now.value) field.value = now.value
    if (field.type === 'hidden') field.value = now.value
    else if (field.options)
      for (const option of field.options) option.defaultSelected = option.value === sent.get(field.name)
    else field.defaultValue = isKept ? asTyped(sent.get(field.name)) : now.value
  }
  form.dataset.guard = 'opened'
}

const asTyped = (text) => text.replaceAll('\r\n', '\n')
