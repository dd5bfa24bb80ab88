/** A delivery as a command line. */

/** A line for a POSIX shell that makes the same POST, to the byte. */
export function curlLine(url: string, headers: [name: string, value: string][], body: string): string {
  const parts = [
    // Otherwise curl would read brackets and braces as patterns.
    `curl --include --globoff ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ]
  return parts.join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
