// Selection in content lists. Without this script, buttons keep the selection.

const SELECTED = 'selected'

// Clears the selection after an action. Reloading its result keeps what was selected since.
const [{ type }] = performance.getEntriesByType('navigation')
if (type === 'navigate' && document.querySelector('.notice[autofocus]')) sessionStorage.removeItem(SELECTED)

// An image that does not load looks like none.
for (const image of document.querySelectorAll('img.thumbnail')) {
  const drop = () => image.replaceWith(make('span', { className: 'thumbnail' }))
  if (image.complete && image.naturalWidth === 0) drop()
  else image.addEventListener('error', drop)
}

for (const form of document.querySelectorAll('form[data-selection]')) {
  const list = form.dataset.selection
  const status = new URLSearchParams(location.search).get('status') ?? ''
  const max = Number(form.dataset.max)
  const boxes = [...form.querySelectorAll('.select > input')]
  const all = form.querySelector('[data-select]')
  const bar = form.querySelector('.selected')
  const clear = form.querySelector('[data-clear]')
  const said = form.querySelector('[data-selected]')
  const why = make('p', { className: 'hint', role: 'status' })
  clear.before(why)
  const field = boxes[0].name
  // Keeps the selection across pages and filters of the list, but not in the list of another status.
  const read = () => {
    const found = JSON.parse(sessionStorage.getItem(SELECTED) ?? '{}')
    return new Set(found.list === list && found.status === status ? found.values : [])
  }
  let selected = form.dataset.whole ? new Set(boxes.map(({ value }) => value)) : read()
  let last

  const show = (isFull = false) => {
    for (const box of boxes) box.checked = selected.has(box.value)
    const chosen = boxes.filter(({ checked }) => checked)
    const elsewhere = selected.size - chosen.length
    // The rows of other pages may be in any state.
    const unchanged = elsewhere ? [{}] : chosen.map(({ dataset }) => JSON.parse(dataset.unchanged))
    const reasons = {}
    said.textContent = isFull
      ? `${max} selected, the maximum`
      : `${selected.size || 'None'} selected${elsewhere ? `, ${elsewhere} not on this page` : ''}`
    all.checked = chosen.length === boxes.length
    all.indeterminate = chosen.length > 0 && chosen.length < boxes.length
    clear.hidden = selected.size === 0
    bar.classList.toggle('any', selected.size > 0)
    for (const button of form.querySelectorAll('.selected > [type=submit]')) {
      const found = unchanged.map((reasonOf) => reasonOf[button.value])
      button.disabled = found.every(Boolean)
      const reason = [...new Set(found)].join(', ')
      if (button.disabled) reasons[reason] = [...(reasons[reason] ?? []), button.textContent.replace('…', '')]
    }
    const sentences = Object.entries(reasons).map(([reason, names]) => `${names.join(', ')}: ${reason}`)
    why.textContent = selected.size > 0 ? sentences.join(' · ') : ''
  }

  const select = (chosen, isOn) => {
    let isFull = false
    for (const { value } of chosen) {
      if (!isOn) selected.delete(value)
      else if (selected.size < max) selected.add(value)
      else isFull ||= !selected.has(value)
    }
    sessionStorage.setItem(SELECTED, JSON.stringify({ list, status, values: [...selected] }))
    show(isFull)
  }

  const choose = (box, isOn, isRange) => {
    const ends = isRange && last ? [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b) : null
    select(ends ? boxes.slice(ends[0], ends[1] + 1) : [box], isOn)
    last = box
  }

  form.addEventListener('click', (event) => {
    if (boxes.includes(event.target)) choose(event.target, event.target.checked, event.shiftKey)
    else if (event.target === clear) {
      select(
        [...selected].map((value) => ({ value })),
        false,
      )
      all.focus()
    }
  })
  all.addEventListener('change', () => select(boxes, all.checked))
  form.addEventListener('formdata', ({ formData }) => {
    formData.delete(field)
    for (const value of selected) formData.append(field, value)
  })
  // The back button restores the page as it was left.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) selected = read()
    show()
  })

  all.parentElement.hidden = false
  select([], true)

  // One tab stop per row.
  const rows = boxes.map((box) => {
    const links = [...box.closest('tr').querySelectorAll('a')]
    return [links[0], box, ...links.slice(1)]
  })
  const stop = (row, at) => {
    for (const each of row) each.tabIndex = each === row[at] ? 0 : -1
  }
  const keys = document.getElementById('selection-keys')
  keys.hidden = false
  for (const row of rows) {
    stop(row, 0)
    row[0].setAttribute('aria-describedby', keys.id)
  }
  const MOVES = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }

  form.addEventListener('keydown', (event) => {
    const { key, target, shiftKey } = event
    const from = rows.findIndex((row) => row.includes(target))
    if (from < 0 || event.ctrlKey || event.metaKey || event.altKey) return
    if (key === ' ') {
      event.preventDefault()
      return choose(boxes[from], !boxes[from].checked, shiftKey)
    }
    const [down, along] = MOVES[key] ?? []
    if (down === undefined) return
    const row = rows[from + down]
    const at = Math.min(rows[from].indexOf(target) + along, (row?.length ?? 0) - 1)
    if (!row || at < 0) return
    event.preventDefault()
    if (shiftKey && down) select([boxes[from], boxes[from + down]], true)
    stop(row, at)
    row[at].focus()
  })
}
