// Search as one types, keys, and menus that lead back to the last filter. Without this script, the search is a page.

const WAIT_MS = 150
const isMac = /Mac|iPhone|iPad/.test(navigator.platform)
const SEARCH_KEY = isMac ? '⌘K' : 'Ctrl K'

/** Shows the results of the search page in the form. Arrow keys move through them. */
for (const form of document.querySelectorAll('form[data-find]')) {
  const field = form.querySelector('[type=search]')
  const results = form.querySelector('[data-results]')
  const isPage = form.closest('main')
  // The dialog and the menu open with what needs no query, and get the rest then.
  const first = isPage ? [...results.childNodes] : []
  const status = form.querySelector('[role=status]')
  let waiting
  let asked
  let shownFor = field.value.trim()

  async function show() {
    asked?.abort()
    const q = field.value.trim()
    if (q === field.defaultValue.trim() && first.length > 0) {
      shownFor = q
      return results.replaceChildren(...first)
    }
    asked = new AbortController()
    const url = `${form.action}?${new URLSearchParams(new FormData(form))}`
    const response = await fetch(url, { redirect: 'manual', signal: asked.signal })
    if (!response.ok) return
    if (results.contains(document.activeElement)) return
    const found = toPage(await response.text()).querySelector('main [data-results]')
    results.replaceChildren(...found.childNodes)
    showTimes(results)
    results.querySelectorAll('[data-copy]').forEach(offerCopy)
    if (isPage) history.replaceState(history.state, '', url)
    shownFor = q
    const count = readFound().length
    if (status) status.textContent = count === 1 ? '1 result' : `${count || 'No'} results`
  }

  // A newer search, or the search page on Enter, takes over from one that fails.
  form.search = () => show().catch(() => {})
  form.closest('details')?.addEventListener('toggle', () => (form.opened ??= form.search()))

  field.addEventListener('input', () => {
    clearTimeout(waiting)
    waiting = setTimeout(form.search, WAIT_MS)
  })
  const isShown = () => shownFor === field.value.trim()
  const readFound = () => [...results.querySelectorAll('a, button:not([hidden])')]

  /** Opens the first result. A command that nobody typed or has seen yet only gets the focus. */
  async function openFirst() {
    const isSeen = isShown() && shownFor !== ''
    if (!isShown()) await form.search()
    if (!isShown()) return form.submit()
    const [found] = readFound()
    if (isSeen || found?.href) found?.click()
    else found?.focus()
  }

  form.addEventListener('keydown', (event) => {
    const { key, target } = event
    const found = readFound()
    const at = found.indexOf(target)
    if (key === 'Enter' && target === field) {
      event.preventDefault()
      clearTimeout(waiting)
      openFirst()
    }
    // The search field alone would only be emptied.
    if (key === 'Escape') form.closest('dialog')?.close()
    // Typed characters go to the field.
    if (at >= 0 && (key.length === 1 || key === 'Backspace') && key !== ' ') return field.focus()
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (!step) return
    event.preventDefault()
    // The first result is marked while the field has a word.
    const from = target === field && field.value ? 0 : at
    const next = found[from + step] ?? (step < 0 ? field : found.at(-1))
    next?.focus()
  })
}

/** Narrows a list of checkboxes. A checked one moves to the chips before it. */
for (const list of document.querySelectorAll('[data-chips]')) {
  const { chips } = list.dataset
  const field = make('input', { type: 'search', placeholder: chips, ariaLabel: chips })
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/)
    for (const label of list.querySelectorAll('label'))
      label.hidden = !words.every((word) => label.textContent.toLowerCase().includes(word))
  })
  // Enter would send the form.
  field.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault())
  list.prepend(field)
  list.parentElement.addEventListener('change', ({ target }) => {
    const label = target.closest('.sites-chosen > label, .sites-offered > label')
    if (!label) return
    const next = label.nextElementSibling
    if (target.checked) list.previousElementSibling.append(label)
    else field.after(label)
    ;(next && !next.hidden ? next.control : field).focus()
  })
}

const dialog = document.getElementById('search-dialog')

for (const link of document.querySelectorAll('a[data-search]')) {
  link.append(make('kbd', { ariaHidden: 'true', textContent: SEARCH_KEY }))
  link.setAttribute('aria-keyshortcuts', isMac ? 'Meta+K' : 'Control+K')
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    openSearch()
  })
}

function openSearch() {
  if (dialog.open) return
  dialog.showModal()
  const form = dialog.querySelector('form')
  form.querySelector('[type=search]').select()
  form.opened ??= form.search()
}

// A click on the backdrop has the dialog itself as its target.
addEventListener('click', ({ target }) => {
  if (target.tagName === 'DIALOG') target.close()
})

const OFF = 'keys-off'

const rows = () => [...document.querySelectorAll('main .cards tbody tr')]
// A link that looks like a button does something else than open the row.
const linkOf = (row) => row?.querySelector('.row-link') ?? row?.querySelector(':is(th, td) a:not(.button)')
// What has a tooltip covers the link of its row.
addEventListener('click', (event) => {
  const covering = event.target.closest?.('.dense tbody :is(time, [title])')
  if (!covering || covering.closest('a, button') || String(getSelection())) return
  linkOf(covering.closest('tr'))?.dispatchEvent(new MouseEvent('click', event))
})
// The back button returns to the row that was opened.
addEventListener('click', ({ target }) => {
  const link = target.closest?.('main .cards tbody a')
  if (link) history.replaceState({ opened: link.href }, '')
})
addEventListener('pageshow', () => {
  const links = [...document.querySelectorAll('main .cards tbody a')]
  links.find(({ href }) => href === history.state?.opened)?.focus({ preventScroll: true })
})
const currentRow = () => document.activeElement.closest?.('main .cards tbody tr')

/** Focuses the link of a row. A row without one gets the focus itself. */
function move(step) {
  const all = rows()
  const at = all.indexOf(currentRow())
  const row = all[at < 0 ? 0 : at + step]
  if (row && !linkOf(row)) row.tabIndex = -1
  const next = linkOf(row) ?? row
  next?.focus()
}

/** The edit page of the current row, or of this page. */
function edit() {
  const row = currentRow()
  if (!row) return document.querySelector('main a[href*="/edit"]')?.click()
  const url = new URL(linkOf(row)?.href ?? location.href)
  if (!/\/content\/(posts|guides)\/[^/]+$/.test(url.pathname)) return
  url.pathname += '/edit'
  location.assign(url)
}

const PUBLISHED = 'published-row'

/** Presses the list's button for a selection, or posts the row as its selection. Afterwards the list has the same row in focus. */
function publish() {
  const button = document.querySelector('form[data-selection] button[value=publish]')
  if (!button) return
  if (button.parentElement.classList.contains('any')) return button.click()
  const row = currentRow()
  const box = row?.querySelector('.select > input')
  if (!box) return
  sessionStorage.setItem(PUBLISHED, JSON.stringify({ slug: box.value, at: rows().indexOf(row) }))
  postForm(box.form.action, Object.entries({ slug: box.value, change: 'publish' }))
}

// A question comes before the list. A published row may have left the list.
if (document.querySelector('form[data-selection]')) {
  const published = JSON.parse(sessionStorage.getItem(PUBLISHED))
  sessionStorage.removeItem(PUBLISHED)
  const box = [...document.querySelectorAll('.select > input')].find(({ value }) => value === published?.slug)
  if (published) linkOf(box?.closest('tr') ?? rows()[published.at] ?? rows().at(-1))?.focus()
}

/** By key: what it does, in words for the list of keys. The browser or another script handles a key without a function. */
const KEYS = {
  Everywhere: {
    [SEARCH_KEY]: ['Search everything, or run a command'],
    e: ['Edit the page, or the row of a list', edit],
    '?': ['Show these keys', showKeys],
  },
  'In lists': {
    '/': ['Search this list'],
    j: ['Next row', () => move(1)],
    k: ['Previous row', () => move(-1)],
    Enter: ['Open the row'],
    x: ['Select the row', () => currentRow()?.querySelector('.select > input')?.click()],
    p: ['Publish the selected rows, or the row', publish],
  },
}
const BY_KEY = new Map(Object.values(KEYS).flatMap(Object.entries))

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (isShortcut(event, 'k') && dialog && !event.defaultPrevented) {
    event.preventDefault()
    return openSearch()
  }
  const isTyping = target.closest?.('input:not([type=checkbox]), textarea, select, dialog')
  if (ctrlKey || metaKey || altKey || isTyping || localStorage.getItem(OFF)) return
  const [, act] = BY_KEY.get(key) ?? []
  if (!act) return
  event.preventDefault()
  act()
})

function showKeys() {
  const head = make('div', { className: 'heading' }, make('h2', {}, 'Keyboard shortcuts'))
  head.append(makeButton('Close', () => keys.close()))
  const groups = Object.entries(KEYS).map(([group, listed]) => {
    const list = make('dl')
    for (const [key, [words]] of Object.entries(listed))
      list.append(make('dt', {}, make('kbd', {}, key)), make('dd', {}, words))
    return make('section', {}, make('h3', {}, group), list)
  })
  const box = make('input', { type: 'checkbox', checked: !localStorage.getItem(OFF) })
  box.addEventListener('change', () =>
    box.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, '1'),
  )
  const label = make('label', { className: 'row' }, box, ' Use single keys in this browser')
  const content = make('div', {}, head, ...groups, label)
  const keys = make('dialog', { ariaLabel: 'Keyboard shortcuts' }, content)
  keys.addEventListener('close', () => keys.remove())
  document.body.append(keys)
  keys.showModal()
}

const shortcuts = make('button', { type: 'button' }, 'Keyboard shortcuts')
shortcuts.addEventListener('click', () => {
  const menu = shortcuts.closest('details')
  menu.open = false
  menu.firstElementChild.focus()
  showKeys()
})
if (matchMedia('(hover: hover)').matches)
  document.querySelector('.account .menu-panel > :last-child')?.before(shortcuts)

// The menu leads to a list as it was last filtered in this tab.
const FILTERS = 'filters'
const filters = JSON.parse(sessionStorage.getItem(FILTERS) ?? '{}')
const form = document.querySelector('form[data-filter]')
if (form) {
  const shown = new URLSearchParams(location.search)
  const names = new Set([...form.elements].map(({ name }) => name))
  const kept = [...shown].filter(([name]) => names.has(name))
  // A row of the audit log opens to at most a minute, which nobody chose as a filter.
  if (!(Date.parse(shown.get('until')) - Date.parse(shown.get('since')) <= 60_000))
    filters[location.pathname] = `${new URLSearchParams(kept)}`
  sessionStorage.setItem(FILTERS, JSON.stringify(filters))
}
for (const link of document.querySelectorAll('.tabs a, .kinds a')) {
  const query = filters[new URL(link.href).pathname]
  if (query) link.search = query
}
