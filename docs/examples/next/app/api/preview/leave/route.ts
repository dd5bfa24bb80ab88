import { cookies, draftMode } from 'next/headers'

export async function POST(request: Request): Promise<Response> {
  const slug = String((await request.formData()).get('slug') ?? '')
  const path = `/blog/${encodeURIComponent(slug)}`
  ;(await cookies()).set('preview', '', { path, maxAge: 0 })
  ;(await draftMode()).disable()
  return new Response(null, { status: 303, headers: { Location: '/' } })
}
