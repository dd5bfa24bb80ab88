// Progressive enhancement: without this script, everything but copying works. The other scripts use its functions, too.

/** An element with properties and children. */
const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

const makeButton = (text, press, className = 'button small') => {
  const button = make('button', { type: 'button', textContent: text, className })
  button.addEventListener('click', press)
  return button
}

/** Posts fields as a form does. `target` is the name of a frame. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts of the editor and the lists use it
function postForm(action, fields, target = '') {
  const inputs = fields.map(([name, value]) => make('textarea', { name, value }))
  const form = make(
    'form',
    { method: 'post', enctype: 'multipart/form-data', action, target, hidden: true },
    ...inputs,
  )
  document.body.append(form)
  form.submit()
  form.remove()
}

// biome-ignore lint/correctness/noUnusedVariables: the editor uses it
const isShortcut = (event, key) =>
  event.key.toLowerCase() === key && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey

const toPage = (text) => new DOMParser().parseFromString(text, 'text/html')

/** The user has changed the field since the page was loaded. */
function isChanged(field) {
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected)
  if (/^(checkbox|radio)$/.test(field.type)) return field.checked !== field.defaultChecked
  return field.name && field.type !== 'hidden' && field.value !== (field.defaultValue ?? field.value)
}

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const toTheMillisecond = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
})

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const utcDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })
const utcDate = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const localDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const NEAR_DAYS = { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }

/** Compares dates, because some days do not have 24 hours. */
function dayOf(at) {
  const [day, today] = [at, new Date()].map((time) =>
    Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()),
  )
  return NEAR_DAYS[(day - today) / 86_400_000] ?? localDay.format(at)
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })
/** The units of an age, with the number of seconds from which the next one reads better. */
const AGES = [
  ['second', 1, 60],
  ['minute', 60, 3_600],
  ['hour', 3_600, 86_400],
  ['day', 86_400, 7 * 86_400],
]

/** `5min ago`, or the date of what is older than a week. */
function ageOf(at) {
  const seconds = (at - Date.now()) / 1_000
  const [unit, length] = AGES.find(([, , until]) => Math.abs(seconds) < until) ?? []
  return unit ? relative.format(Math.trunc(seconds / length), unit) : localDay.format(at)
}

function showTimes(within) {
  for (const time of within.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime)
    time.title = `${toTheMillisecond.format(at)} · ${time.title}`
    time.textContent = 'day' in time.dataset ? dayOf(at) : local.format(at)
  }
  // A day of a chart, in front of its count
  for (const each of within.querySelectorAll('[data-utc-day]'))
    each.textContent = each.textContent.replace(/^[^:]+/, utcDay.format(new Date(each.dataset.utcDay)))
  for (const each of within.querySelectorAll('[data-utc-date]'))
    each.textContent = utcDate.format(new Date(each.dataset.utcDate))
  showAges(within)
}

function showAges(within) {
  for (const time of within.querySelectorAll('time[data-relative]'))
    time.textContent = ageOf(new Date(time.dateTime))
}

// As the server sent them.
const lists = [...document.querySelectorAll('[data-renew]')].map((list) => ({ list, shown: list.innerHTML }))

// A reload shows no notice again.
if (document.body.dataset.notices) {
  const url = new URL(location.href)
  // The text that the editor keeps in this tab is saved.
  const done = url.searchParams.get('done')
  const form = url.pathname.replace(/(posts|guides)\/[^/]+$/, done === 'created' ? 'new/$1' : '$&/edit')
  if (/edited|created/.test(done)) sessionStorage.removeItem(`draft ${document.body.dataset.person} ${form}`)
  for (const name of document.body.dataset.notices.split(' ')) url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
}

// Only the list that it belongs to and the pages below keep a selection, also when a filter finds nothing and while a page asks for confirmation.
const selection = JSON.parse(sessionStorage.getItem('selected'))
if (
  selection &&
  !location.pathname.startsWith(selection.list) &&
  !document.querySelector('form[data-selection], .confirm')
)
  sessionStorage.removeItem('selected')

showTimes(document)
setInterval(showAges, 60_000, document)

// Each day has a heading, in the reader's time zone. Its rows show the time of day.
let day
for (const row of document.querySelectorAll('main > .cards tr:has(.row-link > time)')) {
  const time = row.querySelector('.row-link > time')
  const at = new Date(time.dateTime)
  delete time.dataset.relative
  time.textContent = clock.format(at)
  if (day === dayOf(at)) continue
  day = dayOf(at)
  const heading = make('th', { role: 'rowheader', colSpan: row.cells.length, textContent: day })
  row.before(make('tr', { role: 'row', className: 'day' }, heading))
}

// Refreshes lists while the tab is visible and in use, so that an open page does not keep the database awake.
const RENEW_EVERY_MS = 5_000
const RENEW_FOR_MS = 5 * 60_000
const RENEW_TIMEOUT_MS = 30_000

const RENEWS = 'Updates automatically.'
const HIDDEN = 'Paused while this tab is in the background.'
const USED = 'Paused while you use the list.'
const IDLE = 'Paused after five minutes without activity.'
const FAILED = 'Paused: the service did not respond. Retrying every five seconds.'
const ENDED = 'Paused: you are no longer signed in. Reload the page to sign in.'

for (const { list, shown: first } of lists) {
  let shown = first
  let until = Date.now() + RENEW_FOR_MS
  let timer
  const state = make('p', { className: 'hint' })
  say(RENEWS)
  for (const event of ['pointerdown', 'keydown', 'scroll', 'pointermove'])
    addEventListener(event, returned, { passive: true })
  document.addEventListener('visibilitychange', () => (document.hidden ? say(HIDDEN) : returned()))
  addEventListener('pageshow', returned)
  const isUsed = () => list.contains(document.activeElement) || !getSelection().isCollapsed
  renewLater()

  function renewLater() {
    clearTimeout(timer)
    timer = setTimeout(() => renew().finally(renewLater), Number(list.dataset.every ?? RENEW_EVERY_MS))
  }

  // After a pause, refresh at once.
  function returned() {
    until = Date.now() + RENEW_FOR_MS
    if (state.textContent !== HIDDEN && state.textContent !== IDLE) return
    say(RENEWS)
    clearTimeout(timer)
    renew().finally(renewLater)
  }

  function say(words) {
    if (state.textContent === words) return
    state.textContent = words
    // Problems stand above the list, where they are seen.
    list[words === FAILED || words === ENDED ? 'before' : 'after'](state)
  }

  async function renew() {
    if (document.hidden) return say(HIDDEN)
    if (Date.now() >= until) return say(IDLE)
    if (isUsed()) return say(USED)
    await replace()
  }

  async function replace() {
    const { renewed, problem } = await fetchList().catch(() => ({ problem: FAILED }))
    say(document.hidden ? HIDDEN : (problem ?? RENEWS))
    // The reader may be using it by now.
    if (!renewed || isUsed() || renewed.innerHTML === shown) return
    shown = renewed.innerHTML
    showTimes(renewed)
    list.replaceChildren(...renewed.childNodes)
  }

  async function fetchList() {
    const response = await fetch(location.href, {
      redirect: 'manual',
      signal: AbortSignal.timeout(RENEW_TIMEOUT_MS),
    })
    if (response.type === 'opaqueredirect') return { problem: ENDED }
    if (!response.ok) return { problem: FAILED }
    const renewed = toPage(await response.text()).querySelector(`[data-renew="${list.dataset.renew}"]`)
    // The work that it showed has ended.
    if (!renewed) location.reload()
    return { renewed }
  }
}

// Times are entered in the reader's time zone and sent in UTC.
for (const field of document.querySelectorAll('input[data-utc]')) {
  const hint = document.getElementById(`${field.id}-hint`)
  if (hint) hint.textContent = `In your time zone, ${local.resolvedOptions().timeZone}.`
  if (field.value) field.value = toWallTime(new Date(`${field.value}Z`)).slice(0, field.value.length)
  if (field.min) field.min = toWallTime(new Date(`${field.min}Z`)).slice(0, field.min.length)
  if (field.dataset.presets) addPresets(field)
  field.form.addEventListener('formdata', ({ formData }) => {
    if (field.value) formData.set(field.name, new Date(field.value).toISOString())
  })
}

/** To the millisecond, without a zone. */
function toWallTime(at) {
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, -1)
}

/** Times that people publish at. The first replaces the suggestion of the server, which is in UTC. */
function addPresets(field) {
  const toMonday = (8 - new Date().getDay()) % 7 || 7
  const presets = { 'Tomorrow 9:00': 1, ...(toMonday > 1 && { 'Monday 9:00': toMonday }) }
  const buttons = Object.entries(presets).map(([text, days]) => {
    const at = new Date()
    at.setDate(at.getDate() + days)
    at.setHours(9, 0, 0, 0)
    const value = toWallTime(at).slice(0, 16)
    if (days === 1 && field.dataset.presets === 'suggested') field.value = value
    return makeButton(text, () => (field.value = value))
  })
  field.after(make('div', { className: 'row' }, ...buttons))
}

// Keeps empty filters out of the URL.
for (const form of document.querySelectorAll('form[data-filter]')) {
  form.addEventListener('formdata', ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}

// The server refuses a larger file, too.
for (const input of document.querySelectorAll('input[data-max-bytes]')) {
  input.addEventListener('change', () => {
    const isLarge = input.files[0]?.size > Number(input.dataset.maxBytes)
    input.setCustomValidity(isLarge ? 'This file is larger than 8 MiB. Use a command below.' : '')
    input.reportValidity()
  })
}

// `scrollIntoView` would scroll the whole page away from its fragment.
for (const tab of document.querySelectorAll(':is(.tabs, .kinds, .choices) a[aria-current]')) {
  const tabs = tab.closest('nav')
  const [outer, inner] = [tabs, tab].map((element) => element.getBoundingClientRect())
  tabs.scrollLeft += inner.left - outer.left - (outer.width - inner.width) / 2
}

// A second click would discard the first response. The browser's stop button fires no event, so a timeout unlocks the form.
const LONGEST_WAIT_MS = 12_000

for (const form of document.querySelectorAll('form[method=post]')) {
  let waiting
  let button
  let words
  const free = () => {
    clearTimeout(waiting)
    waiting = undefined
    if (!words) return
    button.textContent = words
    button.removeAttribute('aria-busy')
    words = undefined
  }
  form.addEventListener('submit', (event) => {
    // A submit into a frame loses nothing, and one to a dialog sends nothing.
    if (event.submitter?.formTarget || event.submitter?.formMethod === 'dialog') return
    if (waiting) return event.preventDefault()
    waiting = setTimeout(free, LONGEST_WAIT_MS)
    button = event.submitter
    if (!button?.dataset.busy) return
    words = button.textContent
    button.textContent = button.dataset.busy
    button.setAttribute('aria-busy', 'true')
  })
  addEventListener('pageshow', free)
  addEventListener('keydown', ({ key }) => key === 'Escape' && free())
}

// `/` focuses the search.
const search = document.querySelector('main input[type=search]')
if (search) {
  search.setAttribute('aria-keyshortcuts', '/')
  search.title = 'Press / to search'
  search.after(make('kbd', { ariaHidden: 'true', textContent: '/' }))
  addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select, [contenteditable]')
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
    event.preventDefault()
    search.focus()
    search.select()
  })
}

// Closes menus on Escape and on outside clicks, and opens one that holds an invalid field.
for (const menu of document.querySelectorAll('details.menu')) {
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return
    menu.open = false
    menu.querySelector('summary').focus()
  })
  menu.addEventListener('invalid', () => (menu.open = true), true)
  menu.addEventListener('toggle', () => {
    if (menu.open) menu.querySelector('input:not([type=hidden])')?.focus()
  })
  document.addEventListener('click', (event) => {
    if (!menu.contains(event.target)) menu.open = false
  })
}

// Unsaved text and filters belong to the person.
document
  .querySelector('form[action="/console/sign-out"]')
  ?.addEventListener('submit', () => sessionStorage.clear())

const spoken = make('p', { className: 'visually-hidden', role: 'status' })
document.body.append(spoken)

document.querySelectorAll('button[data-copy]').forEach(offerCopy)

function offerCopy(button) {
  if (!navigator.clipboard) return
  // Screen readers read the copied text next.
  const label = document.createTreeWalker(button, NodeFilter.SHOW_TEXT).nextNode()
  const words = label.data
  let reset
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = button.dataset.copy || button.closest('.snippet').querySelector('code').textContent
    const copied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
    label.data = copied ? 'Copied' : 'Not copied'
    spoken.textContent = label.data
    clearTimeout(reset)
    reset = setTimeout(() => {
      label.data = words
      spoken.textContent = ''
    }, 2_000)
  })
}

// Warns about unsaved input. `typed` marks input that the server returned with an error.
for (const form of document.querySelectorAll('form:is(.fields, .conflicts)[method=post]')) {
  if (form.querySelector('[type=password]')) continue
  // A select without a selected option shows the first one.
  const first = new Set([...form.elements].filter(isChanged))
  let isSending = false
  form.addEventListener('submit', (event) => {
    // A second click that is not sent must not undo the first.
    if (!event.submitter?.formTarget && !event.defaultPrevented) isSending = true
  })
  addEventListener('pageshow', () => (isSending = false))
  addEventListener('beforeunload', (event) => {
    const isDirty =
      form.dataset.guard === 'typed' ||
      form.matches('.conflicts') ||
      [...form.elements].some((field) => isChanged(field) && !first.has(field))
    if (isDirty && !isSending) event.preventDefault()
  })
}
