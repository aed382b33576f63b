import { Select, type SelectProps } from '@mantine/core'
import classes from './filter-bar.module.css'

interface Option<Value extends string> {
  value: Value
  label: string
}

type Looks = Pick<SelectProps, 'searchable' | 'limit' | 'clearButtonProps'>

interface Props<Value extends string> extends Looks {
  /** Accessible name. */
  label: string
  /** What the field says while it filters nothing. */
  all?: string
  data: readonly Option<Value>[]
  value: Value | undefined
  onChange: (value: Value | undefined) => void
}

/** A list that nobody has opened would be rendered and placed with every page. */
export const mountedWhenOpen = { keepMounted: false }

const unfiltered = ''

/** Filters a list by one value. That it does not is a value too, which can be chosen and is read out. */
export function FilterSelect<Value extends string>(props: Props<Value>) {
  const { label, all = `${label}: all`, data, value, onChange, ...looks } = props
  return (
    <Select
      clearable={value !== undefined}
      allowDeselect={false}
      flex="1 1 130px"
      className={classes.select}
      comboboxProps={mountedWhenOpen}
      aria-label={label}
      {...looks}
      data={[{ value: unfiltered, label: all }, ...data]}
      value={value ?? unfiltered}
      onChange={(next) => onChange(data.find((option) => option.value === next)?.value)}
    />
  )
}
