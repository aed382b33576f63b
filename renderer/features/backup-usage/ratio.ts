import { dash } from '../../lib/format.ts'

const digits = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** `3.4×`: so many times less. */
export const ratio = (value: number | null): string => (value === null ? dash : `${digits.format(value)}×`)
