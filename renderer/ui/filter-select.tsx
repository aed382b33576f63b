import { Select, type SelectProps } from '@mantine/core'
import classes from './filter-bar.module.css'

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

/** A list that nobody has opened would be rendered and placed with every page. */
export const mountedWhenOpen = { keepMounted: false }

/** Filters a list by one value. */
export function FilterSelect<Value extends string>({ label, data, value, onChange, ...looks }: Props<Value>) {
  return (
    <Select
      clearable
      flex="1 1 130px"
      className={classes.select}
      comboboxProps={mountedWhenOpen}
      aria-label={label}
      placeholder={label}
      {...looks}
      data={data}
      value={value ?? null}
      onChange={(next) => onChange(data.find((option) => option.value === next)?.value)}
    />
  )
}
