export type { Components } from './components.ts'
export { createComponents } from './create-components.ts'
