// The toolbar of the editor: writes HTML or Markdown around the selected text.

const isAddress = (text) => /^(https?:|mailto:|\/)\S*$/.test(text)
const byLine = (text, write) => text.split('\n').filter(Boolean).map(write).join('\n') || write('')

/** The text before the new selection, the selection, and the text after it. */
const MARKUP = {
  contentHtml: {
    h2: (text) => ['<h2>', text, '</h2>'],
    h3: (text) => ['<h3>', text, '</h3>'],
    bold: (text) => ['<strong>', text, '</strong>'],
    italic: (text) => ['<em>', text, '</em>'],
    link: (text) =>
      isAddress(text)
        ? [`<a href="${text}">`, 'text', '</a>']
        : ['<a href="', 'https://', `">${text || 'text'}</a>`],
    list: (text) => ['<ul>\n', byLine(text, (line) => `<li>${line}</li>`), '\n</ul>'],
    code: (text) =>
      text.includes('\n') ? ['<pre><code>', text, '</code></pre>'] : ['<code>', text, '</code>'],
    image: (text) => ['<img src="', 'https://', `" alt="${text}">`],
  },
  contentMarkdown: {
    h2: (text) => ['## ', text.replace(/^#+ /, ''), ''],
    h3: (text) => ['### ', text.replace(/^#+ /, ''), ''],
    bold: (text) => ['**', text, '**'],
    italic: (text) => ['_', text, '_'],
    link: (text) =>
      isAddress(text) ? ['[', 'text', `](${text})`] : [`[${text || 'text'}](`, 'https://', ')'],
    list: (text) => ['', byLine(text, (line) => `- ${line}`), ''],
    code: (text) => (text.includes('\n') ? ['```\n', text, '\n```'] : ['`', text, '`']),
    image: (text) => [`![${text}](`, 'https://', ')'],
  },
}

/** A button without an icon shows a letter. Icons are drawn on a 16 × 16 grid. */
const ICONS = {
  link: 'M6.5 9.5l3-3M7 5l1.2-1.2a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.2 1.2a2.8 2.8 0 0 1-4-4L5 7',
  list: 'M6 4h8M6 8h8M6 12h8M2 4h1M2 8h1M2 12h1',
  code: 'M5 5 2 8l3 3M11 5l3 3-3 3M9 3 7 13',
  image: 'M2 3h12v10H2zM2 11l3.5-3.5L9 11l2-2 3 2.5M10.5 6h.01',
}

const BUTTONS = [
  ['h2', 'H2', 'H2 heading'],
  ['h3', 'H3', 'H3 heading'],
  ['bold', 'B', 'Bold', 'b'],
  ['italic', 'I', 'Italic', 'i'],
  ['link', '', 'Link', 'k'],
  ['list', '', 'List'],
  ['code', '', 'Code'],
  ['image', '', 'Image'],
]
/** They take whole lines, and stand in lines of their own. */
const BLOCKS = new Set(['h2', 'h3', 'list'])

for (const bar of document.querySelectorAll('.edit-toolbar')) {
  const field = bar.closest('.field').querySelector('textarea')
  bar.setAttribute('role', 'toolbar')
  bar.setAttribute('aria-label', 'Formatting')
  bar.setAttribute('aria-controls', field.id)
  const buttons = BUTTONS.map(([name, text, title, key], index) => {
    const button = makeButton(text, () => format(field, name), '')
    if (ICONS[name])
      button.innerHTML = `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`
    // One stop of the Tab key. The arrow keys move between buttons.
    button.tabIndex = index === 0 ? 0 : -1
    button.dataset.format = name
    button.title = key ? `${title} (Ctrl+${key.toUpperCase()} or ⌘${key.toUpperCase()})` : title
    button.setAttribute('aria-label', title)
    if (key)
      button.setAttribute('aria-keyshortcuts', `Control+${key.toUpperCase()} Meta+${key.toUpperCase()}`)
    return button
  })
  bar.append(...buttons)
  bar.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const from = buttons.indexOf(document.activeElement)
    const next = buttons.at((from + step) % buttons.length)
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1
    next.focus()
  })
  field.addEventListener('keydown', (event) => {
    const [name] = BUTTONS.find(([, , , key]) => key && isShortcut(event, key)) ?? []
    if (!name) return
    event.preventDefault()
    event.stopPropagation()
    format(field, name)
  })
}

function format(field, name) {
  const { value } = field
  let { selectionStart: start, selectionEnd: end } = field
  if (BLOCKS.has(name)) {
    start = value.lastIndexOf('\n', start - 1) + 1
    end = value.indexOf('\n', Math.max(end - 1, start))
    if (end < 0) end = value.length
  }
  const text = value.slice(start, end)
  let [before, inner, after] = MARKUP[field.name][name](text)
  if (
    inner === text &&
    before &&
    value.slice(0, start).endsWith(before) &&
    value.slice(end).startsWith(after)
  ) {
    // Pressed again, a button removes its markup.
    start -= before.length
    end += after.length
    before = after = ''
  } else if (BLOCKS.has(name)) {
    if (start > 0 && !value.slice(0, start).endsWith('\n\n')) before = `\n${before}`
    if (end < value.length && !value.slice(end).startsWith('\n\n')) after = `${after}\n`
  }
  field.focus()
  field.setSelectionRange(start, end)
  // Unlike `setRangeText`, it can be undone.
  document.execCommand('insertText', false, before + inner + after)
  field.setSelectionRange(start + before.length, start + before.length + inner.length)
}
