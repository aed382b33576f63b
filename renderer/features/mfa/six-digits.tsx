import { PinInput } from '@mantine/core'

interface Props {
  value: string
  onChange: (code: string) => void
  onComplete: (code: string) => void
  isDisabled?: boolean
  autoFocus?: boolean
}

/** A code of six digits, one field each; filled in by the phone that received it, where the browser can. */
export function SixDigits({ isDisabled, ...rest }: Props) {
  return (
    <PinInput length={6} type="number" placeholder="" ariaLabel="Digit of the code" disabled={isDisabled} {...rest} />
  )
}
