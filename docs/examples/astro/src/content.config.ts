import { defineCollection } from 'astro:content'
import { postLoader } from 'headless-content-api/astro'

const { CONTENT_URL, CONTENT_SITE, CONTENT_KEY } = import.meta.env

const posts = defineCollection({
  loader: postLoader({ url: CONTENT_URL, site: CONTENT_SITE, key: CONTENT_KEY }),
})

export const collections = { posts }
