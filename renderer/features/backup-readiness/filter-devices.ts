import type { DeviceReadiness, RiskCode } from '../../../shared/api/backup-readiness.ts'
import { type Band, bandOf } from './readiness-words.ts'

export interface ReadinessFilters {
  band?: Band | undefined
  risk?: RiskCode | undefined
  search?: string | undefined
}

export function filterDevices(
  devices: readonly DeviceReadiness[],
  { band, risk, search }: ReadinessFilters,
): readonly DeviceReadiness[] {
  const wanted = search?.toLowerCase()
  return devices.filter(
    ({ deviceName, readinessScore, riskFactors }) =>
      (band === undefined || bandOf(readinessScore) === band) &&
      (risk === undefined || riskFactors.some(({ code }) => code === risk)) &&
      (wanted === undefined || deviceName.toLowerCase().includes(wanted)),
  )
}
