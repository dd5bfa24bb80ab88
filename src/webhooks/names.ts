import { type ListedEndpoint, webhookHost } from './endpoint.ts'

/** The names of a site's webhooks by id. Equal names get the path of the URL, and a number if a viewer does not see the path. */
export function nameWebhooks(endpoints: ListedEndpoint[]): Map<string, string> {
  const names = distinct(
    endpoints.map(({ name }) => name),
    (at) => {
      const { name, url } = endpoints[at]!
      return `${name === webhookHost(url) ? '' : ' '}${URL.canParse(url) ? new URL(url).pathname : ''}`
    },
  )
  return new Map(distinct(names, (at) => ` (${at + 1})`).map((name, at) => [endpoints[at]!.id, name]))
}

const distinct = (texts: string[], suffix: (at: number) => string): string[] =>
  texts.map((text, at) => (texts.indexOf(text) === texts.lastIndexOf(text) ? text : text + suffix(at)))
