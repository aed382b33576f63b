export { isAtLeast, resticVersion } from '../../shared/node/restic.ts'
