type ItemPage<Item> = { items: Item[]; next: string | null }

export async function* itemsOf<Item>(
  ask: (query: { limit: number; cursor: string | null }) => Promise<ItemPage<Item>>,
  limit: number,
): AsyncGenerator<Item> {
  let cursor: string | null = null
  do {
    const page: ItemPage<Item> = await ask({ limit, cursor })
    yield* page.items
    cursor = page.next
  } while (cursor)
}
