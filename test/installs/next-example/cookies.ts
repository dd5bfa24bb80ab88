/** A browser's cookies, by name and path, without the requirement of TLS. */

export type Cookies = ReturnType<typeof cookieJar>

export function cookieJar() {
  const kept = new Map<string, { value: string; attributes: string[] }>()
  return {
    take({ headers }: Response): void {
      for (const line of headers.getSetCookie()) {
        const [pair = '', ...attributes] = line.split('; ')
        const [name = '', value = ''] = pair.split('=')
        const isOver = attributes.some((each) => /^(max-age=0|expires=thu, 01 jan 1970.*)$/i.test(each))
        if (isOver) kept.delete(name)
        else kept.set(name, { value, attributes: attributes.map((each) => each.toLowerCase()) })
      }
    },

    attributesOf: (name: string): string[] => kept.get(name)?.attributes ?? [],

    sentTo(path: string): string {
      const sent = [...kept].filter(([, { attributes }]) => {
        const under = attributes.find((each) => each.startsWith('path='))?.slice('path='.length) ?? '/'
        return path === under || path.startsWith(under.endsWith('/') ? under : `${under}/`)
      })
      return sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
    },
  }
}
