export { createUnusualChanges } from './create-unusual-changes.ts'
