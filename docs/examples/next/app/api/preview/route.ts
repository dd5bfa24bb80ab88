import { cookies, draftMode } from 'next/headers'
import { redirect } from 'next/navigation'
import type { NextRequest } from 'next/server'
import { readDraft } from '../../../content'

/** The site's `previewUrl`. Moves the token from the URL into a cookie. */
export async function GET({ nextUrl: { searchParams } }: NextRequest): Promise<Response> {
  const token = searchParams.get('token') ?? ''
  // By id, because the slug may have changed.
  const post = token && (await readDraft(searchParams.get('id') ?? '', token))
  if (!post) return new Response('This link is not valid, or not any more.', { status: 404 })
  const path = `/blog/${encodeURIComponent(post.slug)}`
  ;(await cookies()).set('preview', token, {
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: process.env.NODE_ENV === 'production',
  })
  ;(await draftMode()).enable()
  redirect(path)
}
