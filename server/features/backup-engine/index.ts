export { ApplianceRestic, type CopyPlace, type OpenCopy, type OpenRepository } from './appliance-restic.ts'
export { type EngineCopy, type EngineKind, engineOf, ResticEngines } from './engines.ts'
export { type PublicStorage, publicPaths } from './public-agent.ts'
