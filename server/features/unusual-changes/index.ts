export { isBeforeUnusualChange, isSnapshotBeforeUnusualChange } from './before-unusual-change.ts'
export { createUnusualChanges } from './create-unusual-changes.ts'
