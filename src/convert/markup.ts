export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export function linkTo(url: string): string {
  return `<a href="${escapeHtml(url)}">${escapeHtml(url)}</a>`
}

export function figure(content: string, caption: string): string {
  const shown = caption.trim() ? `<figcaption>${caption.trim()}</figcaption>` : ''
  return `<figure>${content}${shown}</figure>`
}

/** For reports, for example `video.example`. */
export function hostOf(url: string): string {
  return URL.parse(url, 'https://invalid')?.host ?? url
}
