export interface Engine {
  close(): void;
}
