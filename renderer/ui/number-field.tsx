import { NumberInput, type NumberInputProps } from '@mantine/core'
import { type NumberRange, rangeError } from '../lib/number-range.ts'

interface Props extends Omit<NumberInputProps, 'min' | 'max' | 'clampBehavior' | 'value'> {
  value?: number | string
  range: NumberRange
}

/** A number in a range. Values outside stay as typed and show an error. */
export function NumberField({ value = '', range, error, ...field }: Props) {
  const complaint = value === '' ? null : rangeError(value, range)
  return (
    <NumberInput
      {...field}
      value={value}
      min={range.min}
      max={range.max}
      clampBehavior="none"
      error={error || complaint}
    />
  )
}
