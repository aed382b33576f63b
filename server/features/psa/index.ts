export { createPsa } from './create-psa.ts'
