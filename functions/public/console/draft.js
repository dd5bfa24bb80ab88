// Keeps unsaved text of the editor in this tab, and offers it after a reload or an expired session. console.js removes saved text.

const KEEP_AFTER_MS = 500

/** Without the values to compare with, which change when others save. */
const textsOf = (fields) => JSON.stringify(fields.filter(([name]) => name !== 'opened'))

for (const form of document.querySelectorAll('form.edit')) {
  const action = form.getAttribute('action').split('?')[0]
  // Another person may sign in to this tab once the session has expired.
  const key = `draft ${document.body.dataset.person} ${action}`
  let stored = textsOf([...new FormData(form)])
  let later
  const keep = () => {
    clearTimeout(later)
    later = undefined
    const fields = [...new FormData(form)]
    try {
      if (textsOf(fields) === stored) sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, JSON.stringify({ at: Date.now(), fields }))
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
    stored = textsOf([...new FormData(form)])
    keep()
  })
  const kept = JSON.parse(sessionStorage.getItem(key))
  if (kept && form.dataset.guard === 'opened' && textsOf(kept.fields) !== stored) offer(kept)

  function offer({ at, fields }) {
    const restore = makeButton('Restore', () => postForm(`${action}?as=typed`, fields))
    const discard = makeButton('Discard', () => {
      sessionStorage.removeItem(key)
      notice.remove()
    })
    const words = `Unsaved text of ${local.format(at)} `
    const notice = make('div', { className: 'notice warning', role: 'status' }, words, restore, ' ', discard)
    form.before(notice)
  }
}
