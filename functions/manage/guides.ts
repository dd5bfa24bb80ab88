/** `/sites/{siteId}/guides`. */
import { GUIDE, GuideInput, ListedGuide, StoredGuide } from '../../src/content/guides/guide.ts'
import { putGuides } from '../../src/content/guides/put.ts'
import { type Articles, articleOperations, articleRoutes } from './articles.ts'

const GUIDES: Articles<GuideInput> = { kind: GUIDE, Input: GuideInput, put: putGuides }

export const guides = articleRoutes(GUIDES)

export const guideOperations = () => articleOperations(GUIDES, { Listed: ListedGuide, Stored: StoredGuide })
