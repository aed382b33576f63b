import { Select, type SelectProps } from '@mantine/core'

interface Option<Value extends string> {
  value: Value
  label: string
}

type Looks = Pick<SelectProps, 'placeholder' | 'searchable' | 'limit' | 'clearButtonProps'>

interface Props<Value extends string> extends Looks {
  /** Accessible name. */
  label: string
  data: readonly Option<Value>[]
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

/** Filters a list by one value. */
export function FilterSelect<Value extends string>({ label, data, value, onChange, ...looks }: Props<Value>) {
  return (
    <Select
      clearable
      flex="1 1 130px"
      maw={{ sm: 190 }}
      aria-label={label}
      placeholder={label}
      {...looks}
      data={data}
      value={value ?? null}
      onChange={(next) => onChange(data.find((option) => option.value === next)?.value)}
    />
  )
}
