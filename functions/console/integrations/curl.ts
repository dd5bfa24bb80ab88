/** A POSIX shell command that repeats the POST, byte for byte. */
export function curlCommand(url: string, headers: [name: string, value: string][], body: string): string {
  const parts = [
    // Without --globoff curl expands brackets and braces in URLs.
    `curl --include --globoff ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ]
  return parts.join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
