/** `/sites/{siteId}/guides`. */
import * as z from 'zod/mini'
import { GUIDE, GuideInput } from '../../src/content/guides/guide.ts'
import { putGuides } from '../../src/content/guides/put.ts'
import { ListedGuide, StoredGuide } from '../../src/content/guides/stored.ts'
import { type Articles, articleOperations, articleRoutes, manyOf } from './articles.ts'

const GUIDES: Articles<GuideInput> = {
  kind: GUIDE,
  One: z.partial(GuideInput, { slug: true }),
  Many: manyOf('guides', GuideInput),
  put: putGuides,
}

export const guides = articleRoutes(GUIDES)

export const guideOperations = () => articleOperations(GUIDES, { Listed: ListedGuide, Stored: StoredGuide })
