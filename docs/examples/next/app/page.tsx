import type { Metadata } from 'next'
import { readPosts } from '../content'

export const metadata: Metadata = { title: 'Blog' }

export default async function ListPage() {
  const posts = await readPosts()
  return (
    <main>
      <h1>Blog</h1>
      <ul>
        {posts.map(({ id, slug, title, excerpt }) => (
          <li key={id}>
            <a href={`/blog/${encodeURIComponent(slug)}`}>{title}</a> {excerpt}
          </li>
        ))}
      </ul>
    </main>
  )
}
