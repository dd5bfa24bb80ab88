/** What a program is given, and what it must see. */
export type Given = { origin: string; siteId: string; key: string; operatorToken: string }

export type Seen = {
  put: string
  listed: string[]
  post: { slug: string; sources: number | undefined }
  missing: string
  sitemap: string
  exported: { prompts: string[]; next: string | null }
  changed: string[]
  tested: boolean
}

/** The prompts of an export, a line at a time while it arrives. */
export async function promptsIn(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const prompts: string[] = []
  let rest = ''
  for await (const text of stream.pipeThrough(
    new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>,
  )) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) prompts.push((JSON.parse(line) as { prompt: string }).prompt)
  }
  return prompts
}
