import type { ProgramView } from '../../../../shared/api/components.ts'
import type { ComponentState } from '../../../data/components.ts'

/** A row of the page: a program, or a platform that has none. */
export interface CoverageRow {
  platform: string
  program: ProgramView | null
  /** Of the platform; null in the row of a version that agents no longer get. */
  devices: { all: number; lacking: number } | null
}

/** Platforms with the most devices first, each with its newest version before older ones. */
export function coverageRows({ programs, devices }: Pick<ComponentState, 'programs' | 'devices'>): CoverageRow[] {
  const countOf = (platform: string) => {
    const { devices: all = 0, lacking = 0 } = devices.find((one) => one.platform === platform) ?? {}
    return { all, lacking }
  }
  const platforms = [...new Set([...programs, ...devices].map(({ platform }) => platform))]
  return platforms
    .sort((one, other) => countOf(other).all - countOf(one).all || one.localeCompare(other))
    .flatMap((platform): CoverageRow[] => {
      const ofPlatform = programs.filter((program) => program.platform === platform)
      if (ofPlatform.length === 0) return [{ platform, program: null, devices: countOf(platform) }]
      return ofPlatform.map((program) => ({
        platform,
        program,
        devices: program.isOffered ? countOf(platform) : null,
      }))
    })
}
