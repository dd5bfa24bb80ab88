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

// Marks the section in view, in the list of headings or operations.
const links = [...document.querySelectorAll('.contents a[href^="#"]')]
const sections = links.map((link) => document.getElementById(link.hash.slice(1)))
const markSection = () => {
  const isAtEnd = innerHeight + scrollY > document.documentElement.scrollHeight - 2
  const at = isAtEnd
    ? links.length - 1
    : sections.findLastIndex((section) => section.getBoundingClientRect().top < 120)
  for (const [index, link] of links.entries()) {
    if (index === at) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  if (!links[at]?.checkVisibility()) return
  const menu = links[at].closest('nav')
  menu.scrollTop = links[at].offsetTop - menu.clientHeight / 2
}
addEventListener('scroll', markSection, { passive: true })
markSection()
