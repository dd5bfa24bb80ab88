// Fills the site id from `?site=` and the service's own address into the examples.
const site = new URLSearchParams(location.search).get('site') ?? ''

if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(site)) {
  const values = {
    $API: `${location.origin}/api/v1`,
    $MANAGE: `${location.origin}/manage/v1`,
    $SITE: site,
  }
  for (const code of document.querySelectorAll('.snippet code')) {
    for (const text of textsOf(code))
      text.data = text.data.replaceAll(/\$(API|MANAGE|SITE)\b/g, (name) => values[name])
  }
  for (const link of document.querySelectorAll('a[href^="/docs/"]')) {
    if (!/\.\w+$/.test(link.pathname)) link.search = new URLSearchParams({ site })
  }
  const note = document.createElement('p')
  note.className = 'notice'
  note.textContent = `The examples are for this service and the site ${site}.`
  document.querySelector('h1 + p').after(note)
}

function textsOf(element) {
  const texts = []
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) texts.push(walker.currentNode)
  return texts
}
