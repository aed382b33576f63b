import { useMediaQuery } from '@mantine/hooks'

/** Mantine's breakpoint `sm`, below which the navigation folds and lists become cards. */
const narrow = '(width < 48em)'

/** Whether the screen or window is narrow; correct at the first render. */
export const useNarrowScreen = (): boolean => useMediaQuery(narrow, window.matchMedia(narrow).matches)
