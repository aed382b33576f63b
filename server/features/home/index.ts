export { createHome } from './create-home.ts'
