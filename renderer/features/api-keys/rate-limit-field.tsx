import type { ReactNode } from 'react'
import { apiKeyRates } from '../../../shared/api/api-keys.ts'
import type { NumberRange } from '../../lib/number-range.ts'
import { NumberField } from '../../ui/number-field.tsx'

export const rateLimitRange: NumberRange = { min: 1, max: apiKeyRates.max }

interface Props {
  value?: number | string
  error?: ReactNode
  onChange: (value: number | string) => void
}

export function RateLimitField(field: Props) {
  return (
    <NumberField
      label="Calls per hour"
      description="Additional calls have to wait."
      flex="1 1 200px"
      range={rateLimitRange}
      thousandSeparator=","
      {...field}
    />
  )
}
