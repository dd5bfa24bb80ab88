/** The input of a program, and the expected output. */
export type Given = { origin: string; siteId: string; key: string; operatorToken: string }

type Titled = { slug: string; title: string }

export type Seen = {
  put: string
  listed: Titled[]
  post: Titled & { sources: number | undefined }
  missing: string
  sitemap: string
  exported: { prompts: string[]; next: string | null }
  changed: Titled[]
  tested: boolean
}

/** Takes a whole post: a part of one need not have a title. */
export const titled = ({ slug, title }: Titled): Titled => ({ slug, title })

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
