/** An LRU cache of responses with an ETag, by URL. */

export type Tagged = { etag: string; text: string }

/** @param limit total characters; a longer response is not cached */
export function tagStore(limit: number) {
  const answers = new Map<string, Tagged>()
  let size = 0

  function remove(url: string): void {
    size -= answers.get(url)?.text.length ?? 0
    answers.delete(url)
  }

  return {
    get(url: string): Tagged | undefined {
      const answer = answers.get(url)
      if (answer) {
        answers.delete(url)
        answers.set(url, answer)
      }
      return answer
    },
    set(url: string, answer: Tagged): void {
      remove(url)
      if (answer.text.length > limit) return
      answers.set(url, answer)
      size += answer.text.length
      for (const oldest of answers.keys()) {
        if (size <= limit) return
        remove(oldest)
      }
    },
  }
}
