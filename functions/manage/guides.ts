/** `/sites/{siteId}/guides`. */
import * as z from 'zod/mini'
import { deleteGuide, GuideInput, putGuides, setGuideStatus } from '../../src/guides.ts'
import { type Articles, articleOperations, articleRoutes, MAX_BULK } from './articles.ts'

const GUIDES: Articles<GuideInput> = {
  noun: 'guide',
  One: z.partial(GuideInput, { slug: true }),
  Many: z.pipe(
    z.strictObject({ guides: z.array(GuideInput).check(z.minLength(1), z.maxLength(MAX_BULK)) }),
    z.transform(({ guides }) => guides),
  ),
  put: putGuides,
  setStatus: setGuideStatus,
  remove: deleteGuide,
}

export const guides = articleRoutes(GUIDES)

export const guideOperations = () => articleOperations(GUIDES)
