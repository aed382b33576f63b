export { ResticEngines } from './engines.ts'
