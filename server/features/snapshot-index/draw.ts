/** Draws so many of many by chance, each as likely as the others, without keeping all of them. */
export class Draw<Item> {
  readonly size: number
  readonly drawn: Item[] = []
  /** How many it draws from. */
  offered = 0

  constructor(size: number) {
    this.size = size
  }

  offer(item: Item): void {
    this.offered++
    if (this.drawn.length < this.size) {
      this.drawn.push(item)
      return
    }
    const place = Math.floor(Math.random() * this.offered)
    if (place < this.size) this.drawn[place] = item
  }
}
