import { TextInput, type TextInputProps } from '@mantine/core'
import classes from './code-input.module.css'

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string
  onChange: (code: string) => void
  /** Called once with all six digits, however they were entered. */
  onComplete: (code: string) => void
  isBusy?: boolean
}

/** Six digits in a single field, which phones, password managers and the clipboard fill in best. */
export function CodeInput({ value, onChange, onComplete, isBusy, ...field }: Props) {
  const change = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, 6)
    onChange(digits)
    if (digits.length === 6 && value.length < 6) onComplete(digits)
  }
  return (
    <TextInput
      label="Six-digit code"
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      spellCheck={false}
      classNames={{ input: classes.input }}
      value={value}
      // Read-only instead of disabled, so that the focus stays.
      readOnly={isBusy ?? false}
      onChange={(event) => change(event.currentTarget.value)}
      {...field}
    />
  )
}
