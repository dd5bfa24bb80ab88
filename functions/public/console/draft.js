// Keeps unsaved text of the editor in this tab, and offers it after a reload or an expired session. console.js removes saved text.

const KEEP_AFTER_MS = 500

/** Without the values to compare with, which change when others save. */
const textsOf = (fields) => JSON.stringify(fields.filter(([name]) => name !== 'opened'))

for (const form of document.querySelectorAll('form.edit')) {
  const actionOf = () => form.getAttribute('action').split('?')[0]
  // Another person may sign in to this tab once the session has expired.
  const keyOf = () => `draft ${document.body.dataset.person} ${actionOf()}`
  let key = keyOf()
  let later
  const keep = () => {
    clearTimeout(later)
    later = undefined
    try {
      if (![...form.elements].some(isChanged)) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, JSON.stringify({ at: Date.now(), fields: [...new FormData(form)] }))
    } catch {
      // The browser allows about 5 MB.
    }
  }
  form.addEventListener('input', () => {
    clearTimeout(later)
    later = setTimeout(keep, KEEP_AFTER_MS)
  })
  addEventListener('pagehide', () => later && keep())
  form.addEventListener('saved', () => {
    // It may have a new slug. Text may have been typed meanwhile.
    sessionStorage.removeItem(key)
    key = keyOf()
    keep()
  })
  const kept = JSON.parse(sessionStorage.getItem(key))
  if (kept && form.dataset.guard === 'opened' && textsOf(kept.fields) !== textsOf([...new FormData(form)]))
    offer(kept)

  function offer({ at, fields }) {
    const restore = makeButton('Restore', () => postForm(`${actionOf()}?as=typed`, fields))
    const discard = makeButton('Discard', () => {
      sessionStorage.removeItem(key)
      notice.remove()
    })
    const buttons = make('div', { className: 'actions' }, restore, discard)
    const row = make(
      'div',
      { className: 'row' },
      make('div', {}, `Unsaved text of ${local.format(at)}`),
      buttons,
    )
    const notice = make('div', { className: 'notice warning', role: 'status' }, row)
    form.before(notice)
    form.addEventListener('saved', () => notice.remove())
  }
}
