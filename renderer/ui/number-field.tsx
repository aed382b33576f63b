import { NumberInput, type NumberInputProps } from '@mantine/core'
import { type NumberRange, rangeError } from '../lib/number-range.ts'

interface Props extends Omit<NumberInputProps, 'min' | 'max' | 'clampBehavior' | 'value'> {
  value?: number | string
  range: NumberRange
}

/** A number of a range. What is outside of it stays as it was typed, and the field says what is wrong with it. */
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
