export { createSso, type Sso } from './create-sso.ts'
export { examineTrust } from './outbound/index.ts'
