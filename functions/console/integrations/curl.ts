/** A delivery as a curl command. */

/** A POSIX shell command that makes the same POST, byte for byte. */
export function curlLine(url: string, headers: [name: string, value: string][], body: string): string {
  const parts = [
    // curl expands brackets and braces in URLs otherwise.
    `curl --include --globoff ${quote(url)}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    `--data-raw ${quote(body)}`,
  ]
  return parts.join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
