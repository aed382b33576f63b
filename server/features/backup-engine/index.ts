export { ApplianceRestic, type OpenRepository } from './appliance-restic.ts'
export { type EngineKind, engineOf, ResticEngines } from './engines.ts'
export { type PublicStorage, publicPaths } from './public-agent.ts'
