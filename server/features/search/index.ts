export { createSearch } from './create-search.ts'
