export { createMerges } from './create-merges.ts'
export { mergeRoutes } from './routes.ts'
